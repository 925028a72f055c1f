// node install.mjs FOLDER: puts the locked packages into FOLDER/node_modules with npm, once.
// Called by meson at configure time; a later call with the same lock file does nothing.
import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = process.argv[2];
const here = process.argv[3] ?? dirname(fileURLToPath(import.meta.url));
const lock = readFileSync(join(here, 'package-lock.json'), 'utf8');
const stamp = join(folder, 'installed-lock.json');
if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) process.exit(0);

mkdirSync(folder, { recursive: true });
for (const name of ['package.json', 'package-lock.json'])
  copyFileSync(join(here, name), join(folder, name));
execFileSync('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
  { cwd: folder, stdio: ['ignore', 'inherit', 'inherit'] });
writeFileSync(stamp, lock);
