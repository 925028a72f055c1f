// node build.mjs PAGE.html HTML_PAGE.cpp: bundles src/ into one document and embeds it as C++.
// The policy in the document allows the one script and the one style whose hashes it names, and no
// request of any kind, so markup smuggled into the data could neither run nor call home.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRequire } from 'node:module';

const [, , pagePath, cppPath, modules] = process.argv;
const here = dirname(fileURLToPath(import.meta.url));
// The packages lie in the build folder, where meson had npm put them.
const { build } = createRequire(join(modules, 'index.js'))('esbuild');

async function bundle(entry) {
  const { outputFiles } = await build({
    entryPoints: [join(here, 'src', entry)],
    nodePaths: [modules],
    bundle: true,
    minify: true,
    write: false,
    charset: 'ascii',
    format: 'iife',
    target: ['chrome109', 'firefox115', 'safari16.4'],
    legalComments: 'inline',
    logLevel: 'warning',
  });
  return outputFiles[0].text.trim();
}

const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

const script = (await bundle('main.ts')).replaceAll('</script', '<\\/script');
const style = await bundle('style.css');
const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
  `img-src data:; base-uri 'none'; form-action 'none'`;
const page = readFileSync(join(here, 'src', 'page.html'), 'utf8')
  .replace('@POLICY@', () => policy)
  .replace('@STYLE@', () => style)
  .replace('@SCRIPT@', () => script);
writeFileSync(pagePath, page);

// Pieces, because a compiler may limit a literal's length.
const pieces = page.match(/[^]{1,8000}/gu).map((text) => `R"ftprof~(${text})ftprof~"`);
writeFileSync(cppPath, `#include "analyzer/html_page.h"

#include <string_view>

namespace ftprof {

using namespace std::string_view_literals;

const std::string_view kHtmlPage =
${pieces.join('\n')}sv;

}  // namespace ftprof
`);
