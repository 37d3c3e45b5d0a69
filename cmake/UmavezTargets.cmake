# One target per folder of src/, and the arrow rule.
#
# A folder sees its own headers and those of the folders it links, and no others: each target gets a
# directory that holds nothing but a link to its folder, so an include against the arrow does not compile.

# umavez_folder(NAME [PATH path] SOURCES … [LINKS targets of ours…] [USES outside libraries…])
function(umavez_folder name)
    cmake_parse_arguments(ARG "" "PATH" "SOURCES;LINKS;USES" ${ARGN})
    if(NOT ARG_PATH)
        set(ARG_PATH ${name})
    endif()
    set(view ${CMAKE_BINARY_DIR}/arrows/${name})
    get_filename_component(parent ${view}/${ARG_PATH} DIRECTORY)
    file(MAKE_DIRECTORY ${parent})
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/src/${ARG_PATH} ${view}/${ARG_PATH} SYMBOLIC)

    list(TRANSFORM ARG_SOURCES PREPEND ${PROJECT_SOURCE_DIR}/src/${ARG_PATH}/)
    add_library(umavez_${name} STATIC ${ARG_SOURCES})
    target_include_directories(
        umavez_${name} PUBLIC $<BUILD_INTERFACE:${view}>
                              $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    )
    umavez_precompiled(umavez_${name} product)
    target_link_libraries(umavez_${name} PRIVATE $<BUILD_INTERFACE:umavez_build_flags>)
    foreach(link IN LISTS ARG_LINKS)
        target_link_libraries(umavez_${name} PUBLIC $<BUILD_INTERFACE:umavez_${link}>)
    endforeach()
    target_link_libraries(umavez_${name} PUBLIC ${ARG_USES})
    set_property(GLOBAL APPEND PROPERTY UMAVEZ_FOLDERS umavez_${name})
endfunction()

# The tests that the thread sanitizer runs: building this builds nothing else.
add_custom_target(umavez_concurrent)

# The tests of what others embed, which g++ builds too (the preset gcc); each carries the label `library`.
add_custom_target(umavez_library_tests)
set(UMAVEZ_LIBRARY_TESTS
    src/base
    src/json
    src/core
    src/database
    src/store
    src/engine
    src/embed
    src/mediator
    src/simulation
    tests/conformance
    tests/engine
    tests/mediator
    tests/simulation
)

# umavez_is_of_library(RESULT): whether the CMakeLists.txt that is read stands in one of those folders.
function(umavez_is_of_library result)
    set(found FALSE)
    foreach(folder IN LISTS UMAVEZ_LIBRARY_TESTS)
        set(folder ${PROJECT_SOURCE_DIR}/${folder})
        cmake_path(IS_PREFIX folder ${CMAKE_CURRENT_SOURCE_DIR} is_here)
        if(is_here)
            set(found TRUE)
        endif()
    endforeach()
    set(${result} ${found} PARENT_SCOPE)
endfunction()

# umavez_test(NAME SOURCES … LINKS … [LABELS …] [TIMEOUT seconds] [WHOLE | SERVERS names…]
#             [AGAIN_ON_POSTGRES])
# Every case becomes a ctest of its own with a label and a timeout. A program that starts a server of its own
# is WHOLE: one ctest, one server. Where only the cases with a server's name in theirs need one, SERVERS makes
# one ctest of those. AGAIN_ON_POSTGRES adds one that runs all cases with UMAVEZ_TEST_POSTGRES set. What starts a
# server takes long and is begun early (COST).
function(umavez_test name)
    cmake_parse_arguments(ARG "WHOLE;AGAIN_ON_POSTGRES" "TIMEOUT" "SOURCES;LINKS;LABELS;SERVERS" ${ARGN})
    if(NOT UMAVEZ_TESTS)
        return()
    endif()
    # Beyond a wait that is not met (60 s), so that the test and not ctest tells of it.
    if(NOT ARG_TIMEOUT)
        set(ARG_TIMEOUT 300)
    endif()
    if(NOT ARG_LABELS)
        set(ARG_LABELS unit)
    endif()
    find_package(GTest REQUIRED)
    include(GoogleTest)
    add_executable(${name} ${ARG_SOURCES})
    target_link_libraries(
        ${name} PRIVATE umavez_build_flags ${ARG_LINKS} GTest::gtest GTest::gmock GTest::gtest_main
    )
    umavez_precompiled(${name} test)
    # tests/support, by its path.
    target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    if("concurrent" IN_LIST ARG_LABELS)
        add_dependencies(umavez_concurrent ${name})
    endif()
    umavez_is_of_library(is_of_library)
    if(is_of_library)
        list(APPEND ARG_LABELS library)
        add_dependencies(umavez_library_tests ${name})
    endif()
    if(ARG_WHOLE)
        add_test(NAME ${name} COMMAND ${name})
        set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT} COST 50)
        return()
    endif()
    if(ARG_AGAIN_ON_POSTGRES)
        add_test(NAME ${name}.postgres COMMAND ${name})
        set_tests_properties(
            ${name}.postgres PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600
                                        COST 50 ENVIRONMENT UMAVEZ_TEST_POSTGRES=1
        )
    endif()
    set(left_out "")
    foreach(server IN LISTS ARG_SERVERS)
        string(APPEND left_out ":*${server}*")
        add_test(NAME ${name}.${server} COMMAND ${name} --gtest_filter=*${server}*)
        set_tests_properties(${name}.${server} PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT 600 COST 50)
    endforeach()
    # The others in turn, but what kills and what simulates before the rest.
    set(cost 0)
    if("crash" IN_LIST ARG_LABELS OR "simulation" IN_LIST ARG_LABELS)
        set(cost 40)
    endif()
    gtest_discover_tests(
        ${name}
        TEST_PREFIX ${name}.
        TEST_FILTER "*-${left_out}"
        DISCOVERY_MODE PRE_TEST
        PROPERTIES TIMEOUT ${ARG_TIMEOUT} COST ${cost}
    )
    # gtest_discover_tests takes a list of labels apart, so they are set when the tests are known.
    set(labelled ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
    file(
        WRITE ${labelled}
        "foreach(test IN LISTS ${name}_TESTS)\n"
        "    set_tests_properties(\"\${test}\" PROPERTIES LABELS \"${ARG_LABELS}\")\n"
        "endforeach()\n"
    )
    set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${labelled})
endfunction()
