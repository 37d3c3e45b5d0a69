// Parse + npm canonicalize + SHA-256 over one document, for half a second.
// Prints operations per second.
// usage: node canonicalize.mjs <folder with node_modules/canonicalize> <document.json>
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const [folder, document] = process.argv.slice(2);
const home = join(folder, 'node_modules', 'canonicalize');
const { main } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
const { default: canonicalize } = await import(pathToFileURL(join(home, main)).href);

const text = readFileSync(document, 'utf8');
const fingerprint = () =>
    createHash('sha256').update(canonicalize(JSON.parse(text))).digest('hex');

for (let i = 0; i < 2000; ++i) fingerprint();
const start = process.hrtime.bigint();
let count = 0;
let seconds = 0;
while (seconds < 0.5) {
    for (let i = 0; i < 50; ++i) fingerprint();
    count += 50;
    seconds = Number(process.hrtime.bigint() - start) / 1e9;
}
console.log(count / seconds);
