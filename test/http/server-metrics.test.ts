import { describe, expect, onTestFinished, test } from 'vitest';
import { openServerMetrics, startMetricsServer, startServer } from '../../src/http/index.js';
import { operationOf } from '../../src/http/routes.js';
import { openSkillSearch } from '../../src/index.js';
import { codeOf } from '../error-code.js';
import { row } from '../rows.js';

const LOCAL = '127.0.0.1';

describe('metrics', () => {
  test('count requests by operation and status, whatever clients ask', async () => {
    await using search = await openSkillSearch({ skills: [row('alpha')] });
    const metrics = await openServerMetrics({ search: () => search });
    const server = await startServer(search, { port: 0, pages: true, log: metrics.log });
    onTestFinished(() => server.close(0));
    for (const path of ['search?q=alpha', 'search?q=alpha', 'search', 'secret-path']) {
      await fetch(`${server.url}/api/v1/skills/${path}`);
    }
    await fetch(`${server.url}/skills/alpha`);
    const text = await metrics.text();
    expect(linesOf(text, 'skill_discovery_requests_total{')).toEqual([
      'skill_discovery_requests_total{operation="keyword",status="200"} 2',
      'skill_discovery_requests_total{operation="keyword",status="400"} 1',
      'skill_discovery_requests_total{operation="other",status="404"} 1',
      'skill_discovery_requests_total{operation="page",status="200"} 1',
    ]);
    expect(linesOf(text, 'skill_discovery_request_duration_seconds_count')).toContain(
      'skill_discovery_request_duration_seconds_count{operation="keyword"} 3',
    );
    expect(text).not.toMatch(/secret-path|alpha/);
  });

  test('tell the catalogue, reloads, failures, what waits, and the memory of the process', async () => {
    await using search = await openSkillSearch({ skills: [row('a'), row('b')] });
    const server = await startServer(search, { port: 0 });
    onTestFinished(() => server.close(0));
    const metrics = await openServerMetrics({ search: () => search, server: () => server });
    metrics.onReload({ kind: 'failed', during: 'opening', error: new Error('no') });
    metrics.log({ kind: 'failure', requestId: 'x', error: new Error('no') });
    const text = await metrics.text();
    expect(linesOf(text, 'skill_discovery_catalogue_skills')).toEqual(['skill_discovery_catalogue_skills 2']);
    expect(linesOf(text, 'skill_discovery_reloads_total')).toEqual([
      'skill_discovery_reloads_total{result="reloaded"} 0',
      'skill_discovery_reloads_total{result="failed"} 1',
    ]);
    expect(linesOf(text, 'skill_discovery_failures_total')).toEqual(['skill_discovery_failures_total 1']);
    expect(linesOf(text, 'skill_discovery_waiting_requests')).toEqual(['skill_discovery_waiting_requests 0']);
    expect(linesOf(text, 'process_resident_memory_bytes')).toHaveLength(1);
  });

  test('are still given when the search is closed', async () => {
    const search = await openSkillSearch({ skills: [row('a')] });
    const metrics = await openServerMetrics({ search: () => search });
    await search.close();
    const text = await metrics.text();
    expect(linesOf(text, 'process_resident_memory_bytes')).toHaveLength(1);
    expect(linesOf(text, 'skill_discovery_catalogue_')).toEqual([]);
  });

  test('of several servers in one process are apart', async () => {
    const [one, other] = [await openServerMetrics(), await openServerMetrics()];
    one.log({ kind: 'failure', requestId: 'x', error: new Error('no') });
    expect(linesOf(await other.text(), 'skill_discovery_failures_total')).toEqual(['skill_discovery_failures_total 0']);
  });

  test('are served at one path of a port of their own, to be read only', async () => {
    const metrics = await openServerMetrics();
    const served = await startMetricsServer(metrics, LOCAL, 0);
    onTestFinished(() => served.close());
    const url = `http://${LOCAL}:${served.port}`;
    const answer = await fetch(`${url}/metrics`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ]);
    expect(await answer.text()).toContain('# TYPE skill_discovery_requests_total counter');
    expect((await fetch(`${url}/`)).status).toBe(404);
    expect((await fetch(`${url}/metrics`, { method: 'POST' })).status).toBe(405);
    expect(await codeOf(() => startMetricsServer(metrics, LOCAL, served.port))).toBe('ADDRESS_NOT_AVAILABLE');
  });

  test('are reached at the address that the server says, also where it listens at all of this machine', async () => {
    const metrics = await openServerMetrics();
    for (const host of [LOCAL, '0.0.0.0']) {
      const served = await startMetricsServer(metrics, host, 0);
      onTestFinished(() => served.close());
      expect(served.url).toBe(`http://127.0.0.1:${served.port}/metrics`);
      expect((await fetch(served.url)).status).toBe(200);
    }
  });
});

test.each([
  ['/api/v1/skills/search', 'keyword'],
  ['/api/v1/skills/ai-search', 'semantic'],
  ['/api/health', 'health'],
  ['/mcp', 'mcp'],
  ['/', 'page'],
  ['/skills/some-id', 'page'],
  ['/skills/some-id/.well-known/agent-skills/index.json', 'published'],
  ['/.well-known/skills/index.json', 'published'],
  ['/api/download/a/b/c', 'published'],
  ['/wp-admin', 'other'],
  ['', 'other'],
])('what is asked at %s is counted as %s', (path, operation) => {
  expect(operationOf(path)).toBe(operation);
});

function linesOf(text: string, name: string): string[] {
  return text.split('\n').filter((line) => line.startsWith(name));
}
