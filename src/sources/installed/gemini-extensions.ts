import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../core/index.js';
import { toOneLine } from '../rows/clean-text.js';
import { PluginFiles, pluginName } from './plugin-files.js';
import type { PluginPlace, Plugins } from './plugins.js';

/**
 * The folders with skills of the extensions of Gemini CLI: `extensions/NAME/skills` in its own folder, of those with a
 * `gemini-extension.json` that are enabled in the working folder. An extension that was linked lies where somebody
 * works on it; that folder is not read.
 *
 * Sources: https://geminicli.com/docs/cli/skills, https://geminicli.com/docs/extensions/reference, and of the rules of
 * `extension-enablement.json` `packages/cli/src/config/extensions/extensionEnablement.ts` of google-gemini/gemini-cli.
 */
export async function geminiExtensions({ own, cwd }: PluginPlace): Promise<Plugins> {
  const files = new PluginFiles();
  const home = await realpath(join(own, 'extensions')).catch(() => undefined);
  if (home === undefined) return { folders: [], projects: [], problems: [] };
  const enablement = await files.object(join(home, 'extension-enablement.json'), home);
  for (const folderName of await files.foldersIn(home)) {
    const folder = join(home, folderName);
    const manifest = await files.object(join(folder, 'gemini-extension.json'), folder);
    const name = manifest?.['name'];
    const installed = await files.object(join(folder, '.gemini-extension-install.json'), folder);
    if (installed?.['type'] === 'link') files.note(folder, 'linked to another folder, so it is not read');
    else if (typeof name === 'string' && isEnabled(enablement?.[name], cwd)) {
      await files.addFolders(folder, ['skills'], pluginName(name), toOneLine(name), true);
    }
  }
  return { folders: files.folders, projects: [], problems: files.problems };
}

/** The last rule that fits the folder decides: `!` disables, `*` at the end means what is below, too. */
function isEnabled(extension: unknown, cwd: string): boolean {
  const rules = isObject(extension) && Array.isArray(extension['overrides']) ? extension['overrides'] : [];
  const path = withSlashes(cwd);
  const fits = (rule: unknown): rule is string => {
    if (typeof rule !== 'string') return false;
    const place = rule.replace(/^!/, '');
    return place.endsWith('*') ? path.startsWith(place.slice(0, -1)) : path === place;
  };
  return rules.findLast(fits)?.startsWith('!') !== true;
}

function withSlashes(path: string): string {
  return `/${path}/`.replaceAll('\\', '/').replace(/\/+/g, '/');
}
