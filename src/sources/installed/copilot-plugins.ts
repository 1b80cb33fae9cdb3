import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { toOneLine } from '../rows/clean-text.js';
import { enabledPlugins } from './enabled-plugins.js';
import { PluginFiles, pathsIn, pluginName } from './plugin-files.js';
import type { PluginPlace, Plugins } from './plugins.js';

/** In the order in which the agent looks for them. */
const MANIFESTS = ['.plugin/plugin.json', 'plugin.json', '.github/plugin/plugin.json', '.claude-plugin/plugin.json'];

/** What was installed from no marketplace. */
const DIRECT = '_direct';

/**
 * The folders with skills of the plugins of GitHub Copilot CLI, in `installed-plugins/MARKETPLACE/NAME`: what their
 * manifest lists, else `skills/`. `enabledPlugins` of the settings of the project and of the user may disable one.
 *
 * Sources: https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-plugin-reference and
 * https://docs.github.com/en/copilot/reference/copilot-cli-reference/cli-config-dir-reference
 */
export async function copilotPlugins({ own, levels }: PluginPlace): Promise<Plugins> {
  const files = new PluginFiles();
  const home = await realpath(join(own, 'installed-plugins')).catch(() => undefined);
  if (home === undefined) return { folders: [], projects: [], problems: [] };
  const isEnabled = await enabledPlugins(files, [
    ...levels.map((level) => ({ path: join(level, '.github', 'copilot', 'settings.json'), bound: level })),
    { path: join(own, 'settings.json'), bound: undefined },
  ]);
  for (const marketplace of await files.foldersIn(home)) {
    for (const name of await files.foldersIn(join(home, marketplace))) {
      const key = marketplace === DIRECT ? name : `${name}@${marketplace}`;
      if (!isEnabled(key)) continue;
      const folder = join(home, marketplace, name);
      const manifest = await files.firstObject(folder, MANIFESTS);
      const given = manifest?.['name'];
      const plugin = pluginName(typeof given === 'string' && given.trim() !== '' ? given : name);
      const listed = pathsIn(manifest?.['skills']);
      await files.addFolders(
        folder,
        listed.length > 0 ? listed : ['skills'],
        plugin,
        toOneLine(key),
        listed.length === 0,
      );
    }
  }
  return { folders: files.folders, projects: [], problems: files.problems };
}
