import { calibrationError, reliabilityBins } from '../../src/evaluation/measures.js';
import { RANKINGS } from '../../src/result.js';
import { markdownTable } from '../markdown-table.js';
import type { Asked } from './ask.js';
import { isIdle, isMachine } from './fit.js';

/** What was decided, by ranking: for each home, for each kind of question and for each style. */
export function reportOf(asked: readonly Asked[]): string {
  const rows = asked.filter((one) => !isMachine(one));
  return RANKINGS.map((ranking) => {
    const of = rows.filter((one) => one.ranking === ranking);
    const decided = of.map(({ decision, hits }): [number, boolean] => [decision.probability, hits[0]?.useful ?? false]);
    return [
      `## ${ranking}`,
      `area under the ROC curve against unserved tasks ${areaOf(of, (one) => !isIdle(one))}, against the rest ${areaOf(of, isIdle)};` +
        ` calibration error ${calibrationError(reliabilityBins(decided)).toFixed(3)}`,
      markdownTable(
        [
          'home',
          'skills',
          'served: right shown',
          'confident',
          'with perhaps',
          'skills shown',
          'unserved: confident',
          'with perhaps',
          'talk, remarks, chores',
        ],
        groupsOf(of, ({ home }) => home).map(([home, some]) => [home, String(some[0]!.skills), ...cellsOf(some)]),
      ),
      markdownTable(
        ['kind', 'style', 'questions', 'right in three', 'right shown', 'confident', 'with perhaps'],
        groupsOf(
          of,
          ({ kind, style, language }) => `${kind}|${language === 'en' || isIdle({ kind }) ? style : 'not English'}`,
        ).map(([key, some]) => [
          ...key.split('|'),
          String(some.length),
          share(some, (one) => one.hits.slice(0, 3).some(({ useful }) => useful)),
          share(some, isRightShown),
          share(some, isConfident),
          share(some, isMentioned),
        ]),
      ),
    ].join('\n\n');
  }).join('\n\n');
}

const isConfident = ({ decision: { worth } }: Asked): boolean => worth > 0;
const isMentioned = (one: Asked): boolean => isConfident(one) || one.decision.perhaps;
/** Whether a useful skill is shown, or mentioned. */
const isRightShown = ({ decision: { worth, perhaps }, hits }: Asked): boolean =>
  hits.slice(0, worth === 0 && perhaps ? 1 : worth).some(({ useful }) => useful);

function cellsOf(some: readonly Asked[]): string[] {
  const served = some.filter((one) => one.served);
  const unserved = some.filter((one) => !one.served && !isIdle(one));
  const shown = served.filter(isConfident);
  return [
    share(served, isRightShown),
    share(served, isConfident),
    share(served, isMentioned),
    (shown.reduce((sum, { decision }) => sum + decision.worth, 0) / Math.max(1, shown.length)).toFixed(2),
    share(unserved, isConfident),
    share(unserved, isMentioned),
    share(some.filter(isIdle), isMentioned),
  ];
}

/** How often a first hit that is useful has a higher probability than the first hit of a question without one. */
function areaOf(asked: readonly Asked[], isOther: (one: Asked) => boolean): string {
  const right = asked.filter(({ hits }) => hits[0]?.useful === true);
  const others = asked.filter((one) => !one.served && isOther(one));
  let sum = 0;
  for (const one of right) {
    for (const other of others) {
      const [a, b] = [one.decision.probability, other.decision.probability];
      sum += a > b ? 1 : a === b ? 0.5 : 0;
    }
  }
  return (sum / (right.length * others.length)).toFixed(3);
}

function groupsOf(asked: readonly Asked[], keyOf: (one: Asked) => string): [string, Asked[]][] {
  const groups = new Map<string, Asked[]>();
  for (const one of asked) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups].sort(([a], [b]) => (a < b ? -1 : 1));
}

function share(some: readonly Asked[], isMeant: (one: Asked) => boolean): string {
  return some.length === 0 ? '' : `${(some.filter(isMeant).length / some.length).toFixed(2)} of ${some.length}`;
}
