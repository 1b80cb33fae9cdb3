import { createConfig, lintFromString } from '@redocly/openapi-core';
import { describe, expect, test } from 'vitest';
import { describeApi } from '../../src/http/openapi.js';

const MODES = [
  ['plain', { compatible: false, mcp: false, pages: true, publishes: true }],
  ['with --compat skillsmp', { compatible: true, mcp: false, pages: true, publishes: false }],
  ['with --mcp', { compatible: false, mcp: true, pages: true, publishes: false }],
  ['with all', { compatible: true, mcp: true, pages: true, publishes: true }],
] as const;

describe.each(MODES)('the description %s', (_, extras) => {
  test.each(['recommended', 'recommended-strict', 'spec'])('has nothing that the rules of %s find', async (ruleset) => {
    expect(await findings(await describeApi('https://skills.test', extras), ruleset)).toEqual([]);
  });
});

test('what is wrong in a description is found', async () => {
  const description = JSON.parse(await describeApi('https://skills.test', MODES[0][1])) as {
    info: { license: object };
  };
  const { license: _, ...info } = description.info;
  const found = await findings(JSON.stringify({ ...description, info, tags: 'none' }), 'recommended');
  expect(found.map(({ rule }) => rule)).toEqual(expect.arrayContaining(['info-license', 'struct']));
});

async function findings(
  description: string,
  ruleset: string,
): Promise<{ rule: string; message: string; at: unknown }[]> {
  const config = await createConfig({ extends: [ruleset] });
  const problems = await lintFromString({ source: description, config, absoluteRef: 'openapi.json' });
  return problems.map(({ ruleId, message, location }) => ({ rule: ruleId, message, at: location[0]?.pointer }));
}
