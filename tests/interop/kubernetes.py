"""The manifests of examples/kubernetes against what Kubernetes and Kubeflow's operators ask of them.

The operators' own schemas are thousands of lines, fetched from a cluster. Here stand their constraints on what our manifests use: the names of
replicas, required fields, types and allowed values. A field that is not listed is a finding, as it is for a cluster."""
import copy
import os

import jsonschema
import yaml

from report import require

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "kubernetes")
NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
WORDS = {"type": "array", "items": {"type": "string"}, "minItems": 1}


def fields(required, **properties):
    """An object with these fields and no others."""
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


MOUNT = fields(["name", "mountPath"], name=NAME, mountPath={"type": "string", "pattern": "^/"}, readOnly={"type": "boolean"})
SECRET = fields(["secretName"], secretName=NAME, defaultMode={"type": "integer", "minimum": 0, "maximum": 0o777})
VOLUME = fields(["name"], name=NAME, secret=SECRET, persistentVolumeClaim=fields(["claimName"], claimName=NAME))
CONTAINER = fields(["name", "image"], name=NAME, image={"type": "string", "minLength": 1}, command=WORDS, args=WORDS,
                   volumeMounts={"type": "array", "items": MOUNT})


def template(container):
    return fields(["spec"], spec=fields(["containers"], containers={"type": "array", "items": container, "minItems": 1},
                                        volumes={"type": "array", "items": VOLUME}))


def job(version, kind, spec):
    return fields(["apiVersion", "kind", "metadata", "spec"], apiVersion={"const": version}, kind={"const": kind},
                  metadata=fields(["name"], name=NAME), spec=spec)


def replica(policies, container, most=None):
    count = {"type": "integer", "minimum": 1, **({"maximum": most} if most else {})}
    return fields(["template"], replicas=count, restartPolicy={"enum": policies}, template=template(container))


TENSORFLOW = {**CONTAINER, "properties": {**CONTAINER["properties"], "name": {"const": "tensorflow"}}}
TF_REPLICA = replica(["Always", "OnFailure", "Never", "ExitCode"], TENSORFLOW)
SCHEMAS = {
    "tfjob.yaml": job("kubeflow.org/v1", "TFJob", fields(["tfReplicaSpecs"], tfReplicaSpecs=fields(
        ["Worker"], PS=TF_REPLICA, Worker=TF_REPLICA, Chief=TF_REPLICA, Master=TF_REPLICA, Evaluator=TF_REPLICA))),
    "mpijob.yaml": job("kubeflow.org/v2beta1", "MPIJob", fields(
        ["mpiReplicaSpecs"], slotsPerWorker={"type": "integer", "minimum": 1}, sshAuthMountPath={"type": "string", "pattern": "^/"},
        runPolicy=fields([], cleanPodPolicy={"enum": ["None", "Running", "All"]}, backoffLimit={"type": "integer", "minimum": 0}),
        mpiImplementation={"enum": ["OpenMPI", "Intel", "MPICH"]}, mpiReplicaSpecs=fields(
            ["Launcher"], Launcher=replica(["Never", "OnFailure"], CONTAINER, 1), Worker=replica(["Never", "OnFailure"], CONTAINER)))),
}


def replicas_of(manifest):
    spec = manifest["spec"]
    return spec.get("tfReplicaSpecs") or spec["mpiReplicaSpecs"]


def check(name, manifest):
    """What the schema says, and what none can: that every mount is of a volume that is there."""
    jsonschema.validate(manifest, SCHEMAS[name])
    for role, of in replicas_of(manifest).items():
        pod = of["template"]["spec"]
        volumes = {volume["name"] for volume in pod.get("volumes", [])}
        for container in pod["containers"]:
            for mount in container.get("volumeMounts", []):
                require(mount["name"] in volumes, f"{role} mounts {mount['name']}, which is no volume of it")


def passes(name, trireme_words):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        manifest = yaml.safe_load(file)
    check(name, manifest)
    for of in replicas_of(manifest).values():
        for container in of["template"]["spec"]["containers"]:
            trireme_words(container)
    refuses(name, manifest)
    return ", ".join(f"{role} × {of['replicas']}" for role, of in replicas_of(manifest).items())


def refuses(name, manifest):
    """A schema that takes everything checks nothing."""
    for spoil in (lambda m: m.update(apiVersion="kubeflow.org/v7"), lambda m: replicas_of(m).update(Wroker={}),
                  lambda m: replicas_of(m)["Worker"].update(replicas="three"), lambda m: replicas_of(m)["Worker"].pop("template")):
        spoiled = copy.deepcopy(manifest)
        spoil(spoiled)
        try:
            check(name, spoiled)
        except jsonschema.ValidationError:
            continue
        raise AssertionError(f"{name}: a spoiled manifest passes")


def run(report, train_help):
    """train_help: what trireme train --help says; every option in a manifest must be there."""

    def known(container):
        for word in container.get("args", []):
            require(not word.startswith("--") or f"{word} " in train_help, f"trireme train has no {word}")

    for name in SCHEMAS:
        report.check(f"kubernetes {name}", lambda name=name: passes(name, known))
