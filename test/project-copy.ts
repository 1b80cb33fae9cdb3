import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scratchFolder } from './scratch-folder.js';

export const PROJECT: string = fileURLToPath(new URL('..', import.meta.url));

/** A copy of the sources whose packages are all those installed but one. */
export function projectWithout(missing: string): string {
  const folder = scratchFolder();
  cpSync(join(PROJECT, 'src'), join(folder, 'src'), { recursive: true });
  cpSync(join(PROJECT, 'package.json'), join(folder, 'package.json'));
  symlinkSync(join(PROJECT, 'data'), join(folder, 'data'));
  for (const name of packages()) {
    if (name === missing) continue;
    const link = join(folder, 'node_modules', name);
    mkdirSync(join(link, '..'), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules', name), link, 'junction');
  }
  return folder;
}

/**
 * A copy of the sources in which one package is another: as its author publishes it, without what its install script
 * adds.
 *
 * @param files those of the package to take over
 */
export function projectWithPart(name: string, files: readonly string[]): { project: string; installed: string } {
  const project = projectWithout(name);
  const installed = join(project, 'node_modules', name);
  for (const file of files)
    cpSync(join(PROJECT, 'node_modules', name, file), join(installed, file), { recursive: true });
  return { project, installed };
}

function packages(): string[] {
  const modules = join(PROJECT, 'node_modules');
  return readdirSync(modules).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(modules, name)).map((inside) => `${name}/${inside}`) : [name],
  );
}
