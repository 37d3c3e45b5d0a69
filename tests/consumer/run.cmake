# Installs the library, then configures, builds and runs the consumer. Stops at the first failure.

function(run)
    execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${WORK})
file(MAKE_DIRECTORY ${WORK})
set(flags "")
if(SANITIZE)
    # The library was built with sanitizers, so its consumer must bring their runtime.
    set(flags -fsanitize=${SANITIZE})
endif()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix --component library)
run(
    ${CMAKE_COMMAND} -G Ninja -S ${SOURCE} -B ${WORK}/build -D CMAKE_PREFIX_PATH=${WORK}/prefix -D
    CMAKE_CXX_COMPILER=${COMPILER} -D CMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER} -D CMAKE_CXX_FLAGS=${flags}
)
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/shop ${WORK}/shop.db)
run(${WORK}/build/commands)
