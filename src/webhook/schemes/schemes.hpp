#pragma once

// The schemes by their factories; make_scheme.cpp has their names and which settings each takes.
//
// A factory gets a provider whose settings were checked: secrets are there, needed texts are not empty,
// places and header names are well formed. It refuses only what it alone understands. Pure, thread-safe.

#include "webhook/scheme.hpp"

#include <memory>

namespace umavez::webhook {

using MadeScheme = Result<std::unique_ptr<const Scheme>>;

MadeScheme make_asaas(const Provider& provider);
MadeScheme make_github(const Provider& provider);
MadeScheme make_hmac(const Provider& provider);
MadeScheme make_mercadopago(const Provider& provider);
MadeScheme make_pagarme(const Provider& provider);
MadeScheme make_pagbank(const Provider& provider);
MadeScheme make_shopify(const Provider& provider);
MadeScheme make_square(const Provider& provider);
MadeScheme make_standard_webhooks(const Provider& provider);
MadeScheme make_stripe(const Provider& provider);
MadeScheme make_svix(const Provider& provider);
MadeScheme make_token(const Provider& provider);

}  // namespace umavez::webhook
