import { checkFlag, checkInteger, checkListener, checkSignal, checkText } from '../core/index.js';
import { type ChosenModel, chooseModel, resolveModelOptions } from '../semantic/index.js';
import { loadKey } from '../store/index.js';
import { checkClassify } from './classify-or-warn.js';
import type { BuildOptions } from './load-options.js';
import { type OpenableSource, openSources } from './open-sources.js';

/** A load whose options are checked, and whose sources and model are there. */
export interface PreparedLoad {
  readonly options: LoadOptions;
  readonly sources: readonly OpenableSource[];
  /** Undefined if no vectors are to be made. */
  readonly model: ChosenModel | undefined;
  /** Names sources and options: only a load with the same key resumes a killed one. */
  readonly key: string;
}

/** The options of a load, but for where it goes. */
type LoadOptions = Omit<BuildOptions, 'database'>;

/**
 * Checks all that can be checked before anything is written.
 *
 * @param home the folder that paths of sources are stored relative to
 */
export async function prepareLoad(options: LoadOptions, home: string): Promise<PreparedLoad> {
  const sources = await openSources(options, home);
  checkFlag('prune', options.prune);
  checkFlag('semantic', options.semantic);
  for (const name of ['author', 'codehostBase', 'skillUrlBase'] as const) checkText(name, options[name]);
  checkFlag('followLinks', options.followLinks);
  checkFlag('git', options.git);
  checkFlag('contents', options.contents);
  checkFlag('classify', options.classify);
  checkListener('onProgress', options.onProgress);
  checkSignal(options.signal);
  for (const name of ['maxUnpackedBytes', 'maxRatio', 'maxListedProblems', 'gitSeconds'] as const) {
    checkInteger({ name, code: 'INVALID_OPTION' }, options[name], 0, Number.MAX_SAFE_INTEGER);
  }
  const modelOptions = resolveModelOptions(options);
  const model = options.semantic === false ? undefined : await chooseModel(modelOptions);
  await checkClassify(options, model);
  options.signal?.throwIfAborted();
  return { options, sources, model, key: keyOf(sources, options) };
}

function keyOf(sources: readonly OpenableSource[], options: LoadOptions): string {
  const { author = '', codehostBase = '', skillUrlBase = '', followLinks, git, contents, classify } = options;
  const links = [
    ...(followLinks === true ? ['follow links'] : []),
    ...(git === false ? ['no git'] : []),
    ...(contents === false ? ['no contents'] : []),
    ...(classify === undefined ? [] : [classify ? 'classify' : 'no classify']),
  ];
  return loadKey(['load', ...links, author, codehostBase, skillUrlBase, ...sources.map(({ key }) => key)]);
}
