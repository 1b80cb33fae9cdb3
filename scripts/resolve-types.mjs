// Lets declarations import each type from the file that has it. Through front doors a program that imports one type
// would need the types of all packages that a module uses, also of those that it leaves out.
//
//     node scripts/resolve-types.mjs [DIST]      DIST holds what tsc has made: dist/ if left out
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { pastDoors } from './front-doors.mjs';

const dist = resolve(process.argv[2] ?? fileURLToPath(new URL('../dist', import.meta.url)));
for (const name of readdirSync(dist, { recursive: true })) {
  if (!name.endsWith('.d.ts')) continue;
  const file = join(dist, name);
  const declarations = readFileSync(file, 'utf8');
  const resolved = pastDoors(declarations, file);
  if (resolved !== declarations) writeFileSync(file, resolved);
}
