// The style and the search of the documentation page.

#include "http/docs_page.hpp"

namespace umavez::http {
namespace {

constexpr const char* style = R"(:root {
  color-scheme: light dark;
  --line: #8884; --soft: #8881; --link: light-dark(#0b57d0, #8ab4f8);
  --get: light-dark(#0a6b3d, #6dd3a0); --post: light-dark(#0b57d0, #8ab4f8);
  --patch: light-dark(#8a5300, #f2b661); --delete: light-dark(#b3261e, #f2b8b5);
}
* { box-sizing: border-box; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 56rem; margin: 0 auto; padding: 2rem 1rem 6rem; }
a { color: var(--link); }
h1 { font-size: 1.6rem; margin: 0; }
h2 { font-size: 1.25rem; margin: 2.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1.2rem 0 .2rem; }
p { margin: .5rem 0; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { background: var(--soft); padding: .8rem; overflow-x: auto; border-radius: .4rem; }
nav { margin: 1rem 0; display: flex; flex-wrap: wrap; gap: .3rem 1rem; }
#search { font: inherit; width: 100%; padding: .5rem .8rem;
  border: 1px solid var(--line); border-radius: .4rem;
  background: transparent; color: inherit; position: sticky; top: .5rem; backdrop-filter: blur(1rem); }
details { border: 1px solid var(--line); border-radius: .4rem; margin: .5rem 0; }
summary { padding: .5rem .8rem; cursor: pointer; overflow-wrap: anywhere; }
details[open] > summary { border-bottom: 1px solid var(--line); }
details > div { padding: .2rem .8rem 1rem; }
.method { font-weight: 700; margin-right: .5rem; }
.GET { color: var(--get); } .POST { color: var(--post); }
.PATCH, .PUT { color: var(--patch); } .DELETE { color: var(--delete); }
.what { opacity: .75; margin-left: .5rem; }
.table { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; }
th { font-weight: 600; font-size: .85em; opacity: .75; }
tr { border-bottom: 1px solid var(--line); }
.must { color: var(--delete); }
[hidden] { display: none; }
)";

constexpr const char* script = R"('use strict';
// Without this script the page is complete; with it, it can be searched.
const search = document.getElementById('search');
const routes = [...document.querySelectorAll('details')];
const texts = routes.map((route) => route.textContent.toLowerCase());
search.hidden = false;
search.addEventListener('input', () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  routes.forEach((route, i) => { route.hidden = !words.every((word) => texts[i].includes(word)); });
  for (const section of document.querySelectorAll('section')) {
    section.hidden = !section.querySelector('details:not([hidden])');
  }
});
const open = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target instanceof HTMLDetailsElement) target.open = true;
};
addEventListener('hashchange', open);
open();
)";

Response asset(const char* type, const char* text)
{
    return {
        200,
        {{"Content-Type", type},
         {"X-Content-Type-Options", "nosniff"},
         {"Cache-Control", "public, max-age=3600"}},
        text
    };
}

}  // namespace

Response docs_style()
{
    return asset("text/css; charset=utf-8", style);
}

Response docs_script()
{
    return asset("text/javascript; charset=utf-8", script);
}

}  // namespace umavez::http
