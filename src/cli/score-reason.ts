import type { MatchedTerms, RankingFeature, ScoreParts } from '../index.js';

/** Why a skill is shown, in one sentence. */
export function scoreReason(score: number, matches: MatchedTerms, explain: ScoreParts): string {
  const { cosine, coverage, name, features, copies } = explain;
  const reasons: string[] = [];
  if (name !== 'other')
    reasons.push(name === 'exact' ? 'its name is the question' : 'its name begins with the question');
  if (cosine !== undefined) reasons.push(`it is ${nearness(cosine)} in meaning (cosine ${cosine.toFixed(2)})`);
  else if (features !== undefined) reasons.push('it has no vector');
  if (coverage !== undefined) reasons.push(wordsReason(coverage, matches));
  const [most] = features ?? [];
  const counts = most === undefined || most.share === 0 ? '' : `, most of it for ${FEATURE_NAMES[most.feature]}`;
  const others = copies.length > 1 ? `; it stands for ${copies.length} copies` : '';
  return `Score ${score.toFixed(2)}: ${reasons.join(', and ')}${counts}${others}.`;
}

function nearness(cosine: number): string {
  if (cosine >= 0.6) return 'near';
  return cosine >= 0.35 ? 'rather near' : 'far';
}

function wordsReason(coverage: number, matches: MatchedTerms): string {
  const fields = Object.keys(matches).map((field) => (field === 'files' ? 'file text' : field));
  if (coverage === 0 || fields.length === 0) return 'it has none of the words';
  const last = fields.pop() as string;
  const where = fields.length === 0 ? last : `${fields.join(', ')} and ${last}`;
  return `it has ${Math.round(100 * coverage)} % of the weight of the words, in ${where}`;
}

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
