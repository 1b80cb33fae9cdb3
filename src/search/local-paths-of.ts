import type { SkillDetails } from '../skill.js';
import { CatalogueSearch } from './catalogue-search.js';
import type { SkillSearch } from './skill-search.js';

/**
 * Where a skill lies on this machine, even if the search was not opened to tell that in its answers: a server may say
 * it to processes of its own user, and to nobody else.
 *
 * @returns nothing for a search that is not of this library, and for a skill that came from no folder
 */
export function localPathsOf(search: SkillSearch, id: string): Pick<SkillDetails, 'localPath' | 'installations'> {
  return search instanceof CatalogueSearch ? search.localPathsOf(id) : {};
}
