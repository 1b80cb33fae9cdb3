import type { MatchedTerms, RankingFeature, ScoreParts, SemanticHit } from '../index.js';

type ScoredHit = Pick<SemanticHit, 'score' | 'matches' | 'copies'>;

/** Why a skill is shown, in one sentence. */
export function scoreReason({ score, matches, copies }: ScoredHit, explain: ScoreParts): string {
  const { cosine, coverage, name, features } = explain;
  const reasons: string[] = [];
  if (name !== 'other')
    reasons.push(name === 'exact' ? 'its name is the question' : 'its name begins with the question');
  if (cosine !== undefined) reasons.push(`it is ${nearness(cosine)} in meaning (cosine ${cosine.toFixed(2)})`);
  else if (features !== undefined) reasons.push('it has no vector');
  if (coverage !== undefined) reasons.push(wordsReason(coverage, matches, explain.bm25));
  const others = copies > 1 ? `; it stands for ${copies} copies` : '';
  return `Score ${score.toFixed(2)}: ${reasons.join(', and ')}${mainFeature(explain)}${others}.`;
}

/** Of what adds to the score, what adds most. */
function mainFeature({ features = [], cosine }: ScoreParts): string {
  const adding = features.filter(({ share }) => share > 0);
  // Without a vector a score has a part for meaning too, the same whatever the skill.
  const [main] = adding
    .filter(({ feature }) => cosine !== undefined || !OF_MEANING.has(feature))
    .sort((a, b) => b.share - a.share);
  if (main === undefined) return '';
  const all = adding.reduce((sum, { share }) => sum + share, 0);
  return `, ${main.share >= all / 2 ? 'most of it' : 'above all'} for ${FEATURE_NAMES[main.feature]}`;
}

function nearness(cosine: number): string {
  if (cosine >= 0.6) return 'near';
  return cosine >= 0.35 ? 'rather near' : 'far';
}

function wordsReason(coverage: number, matches: MatchedTerms, bm25: ScoreParts['bm25']): string {
  if (coverage === 0) return 'it has none of the words';
  const share = `it has ${Math.round(100 * coverage)} % of the weight of the words`;
  // A file that only repeats the description has its words, and counts for nothing.
  const fields = Object.keys(matches)
    .filter((field) => field !== 'files' || bm25?.files !== 0)
    .map((field) => (field === 'files' ? 'file text' : field));
  const last = fields.pop();
  if (last === undefined) return share;
  return `${share}, in ${fields.length === 0 ? last : `${fields.join(', ')} and ${last}`}`;
}

const OF_MEANING: ReadonlySet<RankingFeature> = new Set(['cosine', 'sentence']);

const FEATURE_NAMES: Readonly<Record<RankingFeature, string>> = {
  cosine: 'its meaning',
  sentence: 'one sentence of the question',
  words: 'its words',
  name: 'words of its name',
  author: 'words of its author',
  labels: 'words of its labels',
  description: 'words of its description',
  files: 'words of its files',
  coverage: 'having so many of the words',
  fileText: 'its full file text',
};
