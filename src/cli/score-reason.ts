import type { MatchedTerms, RankingFeature, ScoreParts, SemanticHit } from '../index.js';
import { oneLine } from './terminal-text.js';

type ScoredHit = Pick<SemanticHit, 'matches' | 'copies'>;

/** Features of neither meaning nor words. */
const OF_THE_SKILL: ReadonlySet<RankingFeature> = new Set(['fileText', 'stars']);

/** Features of meaning. All others but {@link OF_THE_SKILL} are features of words. */
const OF_MEANING: ReadonlySet<RankingFeature> = new Set(['cosine', 'sentence', 'feedback']);

/** Words named in the sentence. The lines below it list all. */
const MAX_WORDS = 4;

/** `a, b and c` */
function listed(parts: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(parts);
}

/** Why a skill is shown, in plain sentences. Percentages are parts of all that adds to the score. */
export function scoreReason({ matches, copies }: ScoredHit, explain: ScoreParts): string {
  const { cosine, coverage, features } = explain;
  const reasons = [...nameReasons(explain), ...shareReasons(explain, matches)];
  const sentences = [
    reasons.length === 0 ? 'Neither its meaning nor its words add to the score.' : `Shown ${listed(reasons)}.`,
  ];
  if (features !== undefined && cosine === undefined) {
    sentences.push('It has no vector, so a usual value stands for its meaning.');
  }
  if (coverage === 0) sentences.push("It has none of the question's words.");
  if (copies > 1) sentences.push(`It stands for ${copies.toLocaleString('en')} copies.`);
  return sentences.join(' ');
}

function nameReasons({ name }: ScoreParts): string[] {
  if (name === 'other') return [];
  return [name === 'exact' ? 'because its name is the question' : 'because its name begins with the question'];
}

/** Something that adds to a score. */
interface Reason {
  readonly what: string;
  /** Part of everything that adds to the score, 0 to 1; undefined if hits are ranked by this alone. */
  readonly share: number | undefined;
  readonly facts: readonly string[];
}

/** Meaning and words; the one that adds more comes first. */
function shareReasons({ cosine, coverage, bm25, features }: ScoreParts, matches: MatchedTerms): string[] {
  const reasons: Reason[] = [];
  if (cosine !== undefined) {
    const share = shareOf(features, (feature) => OF_MEANING.has(feature));
    reasons.push({ what: 'its meaning', share, facts: [`cosine ${cosine.toFixed(2)}`] });
  }
  if (coverage !== undefined && coverage > 0) {
    const share = shareOf(features, (feature) => !OF_MEANING.has(feature) && !OF_THE_SKILL.has(feature));
    reasons.push({ what: 'its words', share, facts: wordFacts(matches, bm25) });
  }
  return reasons
    .filter(({ share }) => share !== 0)
    .sort((a, b) => (b.share ?? 0) - (a.share ?? 0))
    .map(({ what, share, facts }, i) => {
      const percent = share === undefined ? [] : [`${Math.round(100 * share)} %${i === 0 ? ' of the score' : ''}`];
      const notes = [...percent, ...facts];
      return notes.length === 0 ? `for ${what}` : `for ${what} (${notes.join(': ')})`;
    });
}

/** The share of some features in everything that adds to a score. Features that lower it do not count. */
function shareOf(features: ScoreParts['features'], isMeant: (feature: RankingFeature) => boolean): number | undefined {
  if (features === undefined) return undefined;
  let [meant, all] = [0, 0];
  for (const { feature, share } of features) {
    all += Math.max(0, share);
    if (isMeant(feature)) meant += Math.max(0, share);
  }
  return all === 0 ? 0 : meant / all;
}

/** `"react" and "testing" in name and description`. Files without a score only repeat the description. */
function wordFacts(matches: MatchedTerms, bm25: ScoreParts['bm25']): string[] {
  const counting = Object.entries(matches).filter(([field]) => field !== 'files' || bm25?.files !== 0);
  if (counting.length === 0) return [];
  const words = [...new Set(counting.flatMap(([, terms]) => terms))].map((term) => `"${oneLine(term)}"`);
  const shown = words.length > MAX_WORDS ? [...words.slice(0, MAX_WORDS), `${words.length - MAX_WORDS} more`] : words;
  const fields = counting.map(([field]) => (field === 'files' ? 'file text' : field));
  return [`${listed(shown)} in ${listed(fields)}`];
}
