# builtin_models.cmake: writes the C file that carries the built-in models (see src/graph/model/builtin.h).
# usage: cmake -Dmodels="a.model;b.model" -Dout=FILE.c -P builtin_models.cmake
set(rows "")
set(names "")
foreach(model ${models})
  cmake_path(GET model STEM name)
  file(READ ${model} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  list(APPEND names ${name})
  string(APPEND rows "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()
list(JOIN names " " names)
file(WRITE ${out} "/* Generated from models/. */\n#include \"graph/model/builtin.h\"\n\n#include <stddef.h>\n\n"
  "const tri__builtin_model tri__builtin_models[] = {\n${rows}    {NULL, NULL},\n};\n\n"
  "const char tri__builtin_model_names[] = \"${names}\";\n")
