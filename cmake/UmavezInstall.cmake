# libumavez.a: the library folders in one archive, installed with its public headers and a CMake package.
#
#     find_package(umavez REQUIRED)
#     target_link_libraries(shop PRIVATE umavez::umavez)
#
# The HTTP server, telemetry and the program are not in it. What the archive needs to be linked is found by
# umavezConfig.cmake; nothing of it shows in the public headers.

set(folders
    base
    json
    core
    database
    database_sqlite
    database_postgres
    database_open
    store
    store_memory
    store_sqlite
    store_postgres
    store_redis
    engine
    embed
    mediator
)
set(objects "")
foreach(folder IN LISTS folders)
    if(TARGET umavez_${folder})
        list(APPEND objects $<TARGET_OBJECTS:umavez_${folder}>)
    endif()
endforeach()

add_library(umavez_library STATIC ${objects})
add_library(umavez::umavez ALIAS umavez_library)
set_target_properties(
    umavez_library
    PROPERTIES OUTPUT_NAME umavez
               EXPORT_NAME umavez
               LINKER_LANGUAGE CXX
)
target_compile_features(umavez_library PUBLIC cxx_std_23)
target_include_directories(
    umavez_library PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                          $<INSTALL_INTERFACE:include>
)
target_link_libraries(
    umavez_library PRIVATE OpenSSL::Crypto fmt::fmt SQLite::SQLite3 PkgConfig::LIBPQ PkgConfig::hiredis
                           Threads::Threads
)

if(NOT PROJECT_IS_TOP_LEVEL)
    return()
endif()

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/umavez)

install(TARGETS umavez_library EXPORT umavez ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library)
install(DIRECTORY include/umavez DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(EXPORT umavez NAMESPACE umavez:: DESTINATION ${package_dir} COMPONENT library)

configure_package_config_file(
    cmake/umavezConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/umavezConfig.cmake
    INSTALL_DESTINATION ${package_dir}
)
# Before 1.0 a minor version may change the API.
write_basic_package_version_file(
    ${CMAKE_CURRENT_BINARY_DIR}/umavezConfigVersion.cmake COMPATIBILITY SameMinorVersion
)
install(
    FILES ${CMAKE_CURRENT_BINARY_DIR}/umavezConfig.cmake
          ${CMAKE_CURRENT_BINARY_DIR}/umavezConfigVersion.cmake
    DESTINATION ${package_dir}
    COMPONENT library
)

install(TARGETS umavez_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT program)
