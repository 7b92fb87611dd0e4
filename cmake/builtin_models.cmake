# builtin_models.cmake: writes the C file that carries the built-in models (see src/graph/builtin.h).
# usage: cmake -Dmodels="a.model;b.model" -Dout=FILE.c -P builtin_models.cmake
set(rows "")
foreach(model ${models})
  cmake_path(GET model STEM name)
  file(READ ${model} text)
  string(REPLACE "\\" "\\\\" text "${text}")
  string(REPLACE "\"" "\\\"" text "${text}")
  string(REPLACE "\n" "\\n\"\n     \"" text "${text}")
  string(APPEND rows "    {\"${name}\",\n     \"${text}\"},\n")
endforeach()
file(WRITE ${out} "/* Generated from models/. */\n#include \"graph/builtin.h\"\n\n#include <stddef.h>\n\n"
  "const tri__builtin_model tri__builtin_models[] = {\n${rows}    {NULL, NULL},\n};\n")
