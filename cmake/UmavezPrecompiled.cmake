# One precompiled header for each set of code-generation flags: `product` for what ships, `test` for tests.
#
# CMake's own precompiled headers are found by absolute paths, so a compiler cache that another clone filled has no hit.
# Here every command names pch/SET.pch, relative to the build folder, and ccache takes pch/SET.pch.sum for its content
# (CCACHE_PCH_EXTSUM): a hash of the preprocessed header, the flags and the compiler's version.

option(UMAVEZ_PCH "Precompiled headers (clang only)" ON)
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang" OR NOT PROJECT_IS_TOP_LEVEL)
    set(UMAVEZ_PCH OFF)
endif()

# Everything that ends up in a header's flags must be in its users' too: clang refuses it otherwise.
function(_umavez_precompiled_set set header)
    set(pch pch/${set}.pch)
    string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
    separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
    list(APPEND flags -std=c++23 -fPIC ${ARGN} ${UMAVEZ_SANITIZE_FLAGS})
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/pch)
    set(compile ${CMAKE_CXX_COMPILER} ${flags} -Xclang -fno-pch-timestamp -x c++-header ${header})
    add_custom_command(
        OUTPUT ${CMAKE_BINARY_DIR}/${pch} ${CMAKE_BINARY_DIR}/${pch}.sum
        COMMAND ${compile} -o ${pch} -MD -MF ${pch}.d
        COMMAND ${PROJECT_SOURCE_DIR}/cmake/sum_of_header ${pch}.sum ${compile}
        DEPENDS ${header}
        DEPFILE ${CMAKE_BINARY_DIR}/${pch}.d
        WORKING_DIRECTORY ${CMAKE_BINARY_DIR}
        COMMENT "Precompiling the header of ${set}"
        VERBATIM
    )
    add_custom_target(umavez_precompiled_${set} DEPENDS ${CMAKE_BINARY_DIR}/${pch})
endfunction()

# umavez_precompiled(TARGET product|test): its sources begin with that header.
function(umavez_precompiled target set)
    if(set STREQUAL "test")
        target_compile_options(${target} PRIVATE ${UMAVEZ_TEST_OPTIMISATION})
    endif()
    if(NOT UMAVEZ_PCH)
        return()
    endif()
    target_compile_options(
        ${target} PRIVATE "SHELL:-include-pch pch/${set}.pch" "SHELL:-Xclang -fno-pch-timestamp"
    )
    add_dependencies(${target} umavez_precompiled_${set})
    get_target_property(sources ${target} SOURCES)
    set_source_files_properties(${sources} PROPERTIES OBJECT_DEPENDS ${CMAKE_BINARY_DIR}/pch/${set}.pch)
endfunction()

if(UMAVEZ_PCH)
    _umavez_precompiled_set(product ${PROJECT_SOURCE_DIR}/cmake/std.hpp)
    if(UMAVEZ_TESTS)
        # As CMake defines it for who links gtest.
        _umavez_precompiled_set(
            test ${PROJECT_SOURCE_DIR}/cmake/std_test.hpp ${UMAVEZ_TEST_OPTIMISATION} -DGTEST_HAS_PTHREAD=1
        )
    endif()
endif()
