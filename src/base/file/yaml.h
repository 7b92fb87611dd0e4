/* yaml.h: reads YAML, by libyaml; as much of YAML as files of settings need: one document of mappings, lists and texts. */
#ifndef TRI_BASE_FILE_YAML_H
#define TRI_BASE_FILE_YAML_H

#include "base/file/json.h"

/* Every scalar becomes a string, quoted or not: the caller knows which type each should have. TRI_BAD_DATA with name, line and column for
 * what is not YAML, for a key that comes twice, for anchors and aliases, and for nesting deeper than 16 levels. The caller owns *out. */
TRI_MUST_CHECK tri_status tri__yaml_parse(const char *name, const char *text, size_t size, json_t **out);
TRI_MUST_CHECK tri_status tri__yaml_read(const char *path, json_t **out);

/* The line, from 1, on which a key of the outermost mapping of a file stands, for messages about its value; 0 where it is not found. */
size_t tri__yaml_line_of(const char *path, const char *key);

#endif
