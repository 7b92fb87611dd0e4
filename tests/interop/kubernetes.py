"""The manifests of examples/kubernetes against what Kubernetes and Kubeflow's operators ask of them.

The operators' own schemas (tfjobs.kubeflow.org of the training operator, mpijobs.kubeflow.org of the MPI operator) are ten thousand lines
each, most of them about pods. Here stand their constraints on what our manifests use, and those that the operators check themselves when a
job is made: names, required fields, types and allowed values. A field that is not listed is a finding, as it is for a cluster."""
import copy
import os

import jsonschema
import yaml

from report import require

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "kubernetes")
NAME = {"type": "string", "pattern": "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$", "maxLength": 63}
SERVICE_NAME = {**NAME, "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"}  # a service of that name is made, too
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


def job(version, kind, name, spec):
    return fields(["apiVersion", "kind", "metadata", "spec"], apiVersion={"const": version}, kind={"const": kind},
                  metadata=fields(["name"], name=name), spec=spec)


def replica(policies, container, most=None):
    count = {"type": "integer", "minimum": 1, **({"maximum": most} if most else {})}
    return fields(["template"], replicas=count, restartPolicy={"enum": policies}, template=template(container))


RUN_POLICY = fields([], cleanPodPolicy={"enum": ["None", "Running", "All"]}, backoffLimit={"type": "integer", "minimum": 0})
TF_REPLICA = replica(["Always", "OnFailure", "Never", "ExitCode"], CONTAINER)
TF_REPLICAS = fields([], PS=TF_REPLICA, Worker=TF_REPLICA, Chief=TF_REPLICA, Master=TF_REPLICA, Evaluator=TF_REPLICA)
SCHEMAS = {
    "tfjob.yaml": job("kubeflow.org/v1", "TFJob", SERVICE_NAME, fields(
        ["tfReplicaSpecs"], runPolicy=RUN_POLICY,
        tfReplicaSpecs={**TF_REPLICAS, "minProperties": 1, "not": {"required": ["Chief", "Master"]}})),
    "mpijob.yaml": job("kubeflow.org/v2beta1", "MPIJob", NAME, fields(
        ["mpiReplicaSpecs"], slotsPerWorker={"type": "integer", "minimum": 0}, sshAuthMountPath={"type": "string", "minLength": 1},
        runPolicy=RUN_POLICY, mpiImplementation={"enum": ["OpenMPI", "Intel", "MPICH"]}, mpiReplicaSpecs=fields(
            ["Launcher"], Launcher=replica(["Never", "OnFailure"], CONTAINER, 1), Worker=replica(["Never", "OnFailure"], CONTAINER)))),
}


def replicas_of(manifest):
    spec = manifest["spec"]
    return spec.get("tfReplicaSpecs") or spec["mpiReplicaSpecs"]


def check(name, manifest):
    """What the schema says, and what none can: that mounts are of volumes that are there, that pods get names that hosts may have."""
    jsonschema.validate(manifest, SCHEMAS[name])
    for role, of in replicas_of(manifest).items():
        pod = of["template"]["spec"]
        last = f"{manifest['metadata']['name']}-{role.lower()}-{of.get('replicas', 1) - 1}"
        require(len(last) <= NAME["maxLength"], f"{last} is too long for the name of a host")
        require("tfReplicaSpecs" not in manifest["spec"] or any(one["name"] == "tensorflow" for one in pod["containers"]),
                f"{role} has no container that is named tensorflow")
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
