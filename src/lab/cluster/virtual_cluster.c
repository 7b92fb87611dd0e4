/* virtual_cluster.c: the description of a virtual cluster: from options or YAML, and as JSON while it is up. */
#include "lab/cluster/virtual_cluster.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file/yaml.h"

static const double MOST_MBIT = 1e6, LEAST_MBIT = 0.001;

/* Names of clusters and hosts become parts of the names of namespaces, folders and files. */
static tri_status check_name(const char *what, const char *name, size_t size)
{
    size_t length = strlen(name);
    bool fine = length > 0 && length < size && isalnum((unsigned char)name[0]);
    for (const char *at = name; *at && fine; at++)
        fine = isalnum((unsigned char)*at) || *at == '-' || *at == '_' || *at == '.';
    if (fine)
        return NULL;
    return tri_fail(TRI_BAD_CALL,
                    "'%s' cannot be the name of a %s: up to %zu letters, digits, dashes, dots and underscores, a letter or digit first",
                    name, what, size - 1);
}

tri_status tri__rate_parse(const char *text, double *mbit)
{
    static const struct {
        const char *unit;
        double mbit;
    } units[] = {{"gbit", 1000}, {"mbit", 1}, {"kbit", 0.001}};
    char *end;
    double number = strtod(text, &end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (end != text && !strcmp(end, units[i].unit) && number * units[i].mbit >= LEAST_MBIT && number * units[i].mbit <= MOST_MBIT) {
            *mbit = number * units[i].mbit;
            return NULL;
        }
    return tri_fail(TRI_BAD_CALL, "'%s' is not a rate: give a number with its unit, as in 1.8gbit, 100mbit or 500kbit", text);
}

static tri_status parse_cpus(const char *text, double *cpus)
{
    char *end;
    *cpus = strtod(text, &end);
    if (end == text || *end || !(*cpus >= 0.01) || !(*cpus <= 4096))
        return tri_fail(TRI_BAD_CALL, "'%s' is not a number of CPUs: give 0.5, 1, 2, …", text);
    return NULL;
}

tri_status tri__memory_parse(const char *text, int64_t *mb)
{
    char *end;
    double number = strtod(text, &end);
    double unit = !strcasecmp(end, "gb") ? 1024 : !*end || !strcasecmp(end, "mb") ? 1 : 0;
    if (end == text || !(number * unit >= 1) || !(number * unit <= 1e9))
        return tri_fail(TRI_BAD_CALL, "'%s' is not an amount of memory: give 512mb, 2gb, …", text);
    *mb = (int64_t)(number * unit);
    return NULL;
}

static tri_status check_count(int hosts)
{
    if (hosts >= 1 && hosts <= TRI_MOST_HOSTS)
        return NULL;
    return tri_fail(TRI_BAD_CALL, "%d hosts: a virtual cluster has 1 to %d", hosts, TRI_MOST_HOSTS);
}

static void add_host(tri__virtual_cluster *cluster, tri__virtual_host host)
{
    snprintf(host.address, sizeof host.address, "10.77.0.%d", cluster->hosts + 1);
    cluster->host[cluster->hosts++] = host;
}

static tri_status begin(const char *name, tri__virtual_cluster *out)
{
    *out = (tri__virtual_cluster){0};
    TRI_TRY(check_name("cluster", name, sizeof out->name));
    snprintf(out->name, sizeof out->name, "%s", name);
    return NULL;
}

tri_status tri__virtual_cluster_alike(const char *name, int hosts, const tri__virtual_host *like, tri__virtual_cluster *out)
{
    TRI_TRY(begin(name, out));
    TRI_TRY(check_count(hosts));
    for (int i = 0; i < hosts; i++) {
        tri__virtual_host host = *like;
        snprintf(host.name, sizeof host.name, "host%d", i + 1);
        add_host(out, host);
    }
    return NULL;
}

/* Read rate, cpus and memory from a mapping. What the mapping does not have stays as it is. */
static tri_status read_limits(const json_t *mapping, tri__virtual_host *host)
{
    const char *rate = json_string_value(json_object_get(mapping, "rate")), *cpus = json_string_value(json_object_get(mapping, "cpus")),
               *memory = json_string_value(json_object_get(mapping, "memory"));
    TRI_TRY(rate ? tri__rate_parse(rate, &host->rate_mbit) : NULL);
    TRI_TRY(cpus ? parse_cpus(cpus, &host->cpus) : NULL);
    return memory ? tri__memory_parse(memory, &host->memory_mb) : NULL;
}

static tri_status check_keys(const json_t *mapping, const char *known)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)mapping, key, value)
    {
        const char *at = strstr(known, key);
        size_t length = strlen(key);
        if (!at || (at != known && at[-1] != ' ') || (at[length] && at[length] != ' '))
            return tri_fail(TRI_BAD_DATA, "no setting '%s'; there are: %s", key, known);
    }
    return NULL;
}

static tri_status read_host(const json_t *value, tri__virtual_host host, tri__virtual_cluster *out)
{
    const char *name = json_string_value(json_is_object(value) ? json_object_get(value, "name") : value);
    if (!name)
        return tri_fail(TRI_BAD_DATA, "host %d has no name", out->hosts + 1);
    TRI_TRY(check_name("host", name, sizeof host.name));
    if (tri__virtual_cluster_find(out, name))
        return tri_fail(TRI_BAD_DATA, "two hosts are called %s", name);
    if (json_is_object(value)) {
        TRI_TRY(check_keys(value, "name rate cpus memory"));
        TRI_TRY(tri_wrap(read_limits(value, &host), "host %s", name));
    }
    snprintf(host.name, sizeof host.name, "%s", name);
    add_host(out, host);
    return NULL;
}

static tri_status read_hosts(const json_t *document, tri__virtual_cluster *out)
{
    const json_t *hosts = json_object_get(document, "hosts");
    tri__virtual_host all = {0};
    if (!json_is_array(hosts))
        return tri_fail(TRI_BAD_DATA, "no list `hosts` of names");
    TRI_TRY(check_keys(document, "hosts rate cpus memory"));
    TRI_TRY(check_count((int)json_array_size(hosts)));
    TRI_TRY(read_limits(document, &all));
    for (size_t i = 0; i < json_array_size(hosts); i++)
        TRI_TRY(read_host(json_array_get(hosts, i), all, out));
    return NULL;
}

/* `hosts: 3` means three equal hosts. */
tri_status tri__virtual_cluster_describe(const json_t *document, const char *name, tri__virtual_cluster *out)
{
    const char *count = json_string_value(json_object_get(document, "hosts"));
    tri__virtual_host like = {0};
    char *end = NULL;
    TRI_TRY(begin(name, out));
    if (!count)
        return read_hosts(document, out);
    long hosts = strtol(count, &end, 10);
    if (end == count || *end)
        return tri_fail(TRI_BAD_DATA, "hosts: '%s' is neither a number of hosts nor a list of them", count);
    TRI_TRY(check_keys(document, "hosts rate cpus memory"));
    TRI_TRY(read_limits(document, &like));
    return tri__virtual_cluster_alike(name, hosts < 0 || hosts > TRI_MOST_HOSTS ? -1 : (int)hosts, &like, out);
}

tri_status tri__virtual_cluster_read(const char *path, const char *name, tri__virtual_cluster *out)
{
    json_t *document;
    TRI_TRY(tri__yaml_read(path, &document));
    tri_status status = tri__virtual_cluster_describe(document, name, out);
    json_decref(document);
    return tri_wrap(status, "%s", path);
}

json_t *tri__virtual_cluster_json(const tri__virtual_cluster *cluster)
{
    json_t *hosts = json_array();
    for (int i = 0; i < cluster->hosts; i++) {
        const tri__virtual_host *host = &cluster->host[i];
        json_array_append_new(hosts, json_pack("{s:s, s:s, s:f, s:f, s:I}", "host", host->name, "address", host->address, "rate_mbit",
                                               host->rate_mbit, "cpus", host->cpus, "memory_mb", (json_int_t)host->memory_mb));
    }
    return json_pack("{s:s, s:o}", "name", cluster->name, "hosts", hosts);
}

tri_status tri__virtual_cluster_parse(const json_t *value, const char *name, tri__virtual_cluster *out)
{
    const json_t *hosts = json_object_get(value, "hosts");
    TRI_TRY(begin(name, out));
    TRI_TRY(check_count((int)json_array_size(hosts)));
    for (size_t i = 0; i < json_array_size(hosts); i++) {
        const json_t *one = json_array_get(hosts, i);
        const char *called = json_string_value(json_object_get(one, "host"));
        tri__virtual_host host = {
            .rate_mbit = json_number_value(json_object_get(one, "rate_mbit")),
            .cpus = json_number_value(json_object_get(one, "cpus")),
            .memory_mb = json_integer_value(json_object_get(one, "memory_mb")),
        };
        TRI_TRY(check_name("host", called ? called : "", sizeof host.name));
        snprintf(host.name, sizeof host.name, "%s", called);
        add_host(out, host);
    }
    return NULL;
}

const tri__virtual_host *tri__virtual_cluster_find(const tri__virtual_cluster *cluster, const char *host)
{
    for (int i = 0; i < cluster->hosts; i++)
        if (!strcmp(cluster->host[i].name, host) || !strcmp(cluster->host[i].address, host))
            return &cluster->host[i];
    return NULL;
}
