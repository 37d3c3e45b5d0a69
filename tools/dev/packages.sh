# What is installed, and for whom. Sourced by ./dev.

packages_build=(
    clang-19 libstdc++-12-dev cmake ninja-build ccache mold pkg-config git python3
    libboost1.81-dev libboost-json1.81-dev libboost-url1.81-dev libssl-dev libsqlite3-dev libpq-dev libhiredis-dev
    libjemalloc-dev libcurl4-openssl-dev librabbitmq-dev libxml2-dev
    libsimdjson-dev zlib1g-dev libxxhash-dev libfmt-dev libcli11-dev libtomlplusplus-dev prometheus-cpp-dev
    libgtest-dev libgmock-dev librapidcheck-dev libbenchmark-dev
)
# g++ is for the tests of what it must refuse, with the words that people who embed the library would read.
packages_test=(g++ postgresql pgbouncer redis-server rabbitmq-server python3-aiosmtpd xmlsec1 spin)
# llvm-19 gives the sanitizers their symbols.
packages_check=(libclang-rt-19-dev llvm-19 clang-tidy-19 clang-format-19)
packages_bench=(postgresql sqlite3 wrk redis-server)
packages_npm=(
    canonicalize@5.1.0 fastify@5.12.8
    @node-idempotency/core@1.0.11 @node-idempotency/storage-adapter-redis@1.0.2
)
# Clients that tests drive against the server: a program and Debian's package of it, and what npm has.
client_programs=(node=nodejs npm=npm chromium=chromium curl=curl openssl=openssl)
client_packages_npm=(stripe@22.6.2 standardwebhooks@1.1.1 @seriousme/openapi-schema-validator@2.11.0)

install_packages() {
    local installed missing=() package
    installed=$(dpkg-query -W -f ' ${Package}=${db:Status-Status} ' "$@" 2>/dev/null || true)
    for package in "$@"; do
        [[ $installed == *" $package=installed "* ]] || missing+=("$package")
    done
    ((${#missing[@]} == 0)) && return
    local as_root=()
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "these packages are missing and need root to install: ${missing[*]}"
        as_root=(sudo)
    fi
    say "installing ${missing[*]}"
    "${as_root[@]}" apt-get -qq update || return
    "${as_root[@]}" apt-get -qq install -y --no-install-recommends "${missing[@]}" >/dev/null
}

# install_npm_into FOLDER PACKAGE@VERSION…: outside the project, and only what is not there yet.
install_npm_into() {
    local folder=$1 package missing=()
    shift
    for package in "$@"; do
        grep -qsF "\"version\": \"${package##*@}\"" "$folder/node_modules/${package%@*}/package.json" ||
            missing+=("$package")
    done
    ((${#missing[@]} == 0)) && return
    mkdir -p "$folder"
    npm install --prefix "$folder" --no-audit --no-fund --silent "${missing[@]}"
}

# Peers that benchmarks compare with live outside the project; without npm their columns are left out.
install_npm_peers() {
    export UMAVEZ_BENCH_NODE=${UMAVEZ_BENCH_NODE:-${XDG_CACHE_HOME:-$HOME/.cache}/umavez-bench}
    command -v npm >/dev/null || { say "npm is absent: its packages are left out of the comparison"; return 0; }
    install_npm_into "$UMAVEZ_BENCH_NODE" "${packages_npm[@]}" ||
        say "npm install failed: ${packages_npm[*]} are left out of the comparison"
}

# What tests/clients drives. A node from elsewhere than Debian brings its own npm, so the programs count.
install_clients() {
    local folder=${UMAVEZ_CLIENTS_NODE:-${XDG_CACHE_HOME:-$HOME/.cache}/umavez-clients} program missing=()
    for program in "${client_programs[@]}"; do
        command -v "${program%=*}" >/dev/null || missing+=("${program#*=}")
    done
    ((${#missing[@]} == 0)) || (install_packages "${missing[@]}") ||
        say "${missing[*]} cannot be installed: their tests are skipped"
    install_npm_into "$folder" "${client_packages_npm[@]}" ||
        say "npm install failed: the tests with ${client_packages_npm[*]} are skipped"
}

# install_for_tests [PACKAGE…]: what building and testing need, and these.
install_for_tests() {
    install_packages "${packages_build[@]}" "${packages_test[@]}" "$@" && install_clients
}
