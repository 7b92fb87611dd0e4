# The narrow kernels' vector code (src/tensor/narrow/vector) is one source, compiled once for each instruction set; cpu.c chooses at
# run time. Sets narrow_objects, to be linked into the library. To add a set: a name, its flags, and a row in cpu.c.
file(GLOB vector_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/tensor/narrow/vector/*.c)
set(isa_names plain)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND isa_names avx2 avx512)
  set(isa_flags_avx2 -mavx2 -mfma)
  set(isa_flags_avx512 -mavx2 -mfma -mavx512f -mavx512vl -mavx512dq -mavx512bw -mprefer-vector-width=256)
  set_source_files_properties(${CMAKE_SOURCE_DIR}/src/tensor/narrow/cpu.c PROPERTIES COMPILE_DEFINITIONS TRI_NARROW_X86)
endif()
# The checks of sanitizers in unrolled vector code take the compiler minutes. So under sanitizers it is optimised less, and for fuzz targets,
# which never run it, it is not checked at all.
set(narrow_checks)
if(TRIREME_FUZZ)
  set(narrow_checks -O1 -fno-sanitize=all)
elseif(TRIREME_SANITIZE)
  set(narrow_checks -O1)
endif()
set(narrow_objects)
foreach(isa ${isa_names})
  add_library(narrow_${isa} OBJECT ${vector_sources})
  target_include_directories(narrow_${isa} PRIVATE include src)
  target_link_libraries(narrow_${isa} PRIVATE OpenMP::OpenMP_C)
  target_compile_definitions(narrow_${isa} PRIVATE TRI_ISA=${isa})
  # Every other build optimises it: otherwise a block of registers is an array in memory. Contraction makes FMA of a · b + c. The compiler
  # takes no other liberties with floating point: NaN must come through.
  target_compile_options(narrow_${isa} PRIVATE ${isa_flags_${isa}} -O3 -ffp-contract=fast -fno-trapping-math -Wno-psabi ${narrow_checks})
  list(APPEND narrow_objects $<TARGET_OBJECTS:narrow_${isa}>)
endforeach()
