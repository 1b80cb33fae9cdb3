import { sourceOf } from '../../../core/index.js';
import type { Skill } from '../../../index.js';
import { shownLine } from '../frame/safe-text.js';

/** A line for a shell that installs a skill, or fetches it. */
export interface InstallCommand {
  readonly label: string;
  readonly command: string;
}

/** No character that means something to a shell. */
const REPOSITORY = /^[\w.-]+\/[\w.-]+$/;
const ADDRESS = /^https?:\/\/[\w.-]+(?::\d+)?(?:\/[\w.~@+-]+)+$/;
const PLAIN_NAME = /^\w[\w.-]*$/;

/**
 * How a skill is installed; empty if its repository is unknown and it is not published here, or its address is not one
 * for a shell.
 *
 * @param ownAddress where this service publishes it
 */
export function installCommands({ codehostUrl, name }: Skill, ownAddress?: string): readonly InstallCommand[] {
  const source = sourceOf(codehostUrl);
  if (REPOSITORY.test(source) && !source.startsWith('-')) {
    return [
      { label: 'With npx skills', command: `npx skills add ${source}${skillOption(name)}` },
      { label: 'Or with git', command: `git clone https://github.com/${source}.git` },
    ];
  }
  if (source === '' && ownAddress !== undefined && ADDRESS.test(ownAddress.replace(/\/$/, ''))) {
    return [{ label: 'With npx skills', command: `npx skills add ${ownAddress}` }];
  }
  return ADDRESS.test(source) ? [{ label: 'With git', command: `git clone ${source}` }] : [];
}

/** A repository may have many skills. */
function skillOption(name: string): string {
  const shown = shownLine(name);
  if (shown === '' || shown !== name || shown.startsWith('-')) return '';
  return ` --skill ${PLAIN_NAME.test(shown) ? shown : `'${shown.replaceAll("'", "'\\''")}'`}`;
}
