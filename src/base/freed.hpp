#pragma once

// Freed: how a unique_ptr gives an object back to the C library that made it. Confined to its owner's thread.
//
//     using CertificateHandle = std::unique_ptr<X509, Freed<&X509_free>>;

namespace umavez {

template <auto free>
struct Freed {
    template <typename T>
    void operator()(T* object) const noexcept
    {
        static_cast<void>(free(object));
    }
};

}  // namespace umavez
