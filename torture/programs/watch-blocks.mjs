// Imported into an attacked server: notes for how long its event loop was blocked, and tells it when it is asked by a
// message. Not TypeScript, so that a built server needs no loader.
import { openSync, readSync } from 'node:fs';
import { PerformanceObserver } from 'node:perf_hooks';
import { isMainThread } from 'node:worker_threads';

/** Milliseconds between two looks. A turn that takes less is none that anybody notices. */
const TICK = 5;
/** The longest blocks that are kept. */
const KEPT = 5;
/** Milliseconds of a garbage collection that is worth keeping. */
const LEAST_COLLECTION = 1;

// Its threads import it as well.
if (isMainThread && process.send !== undefined) watch();

function watch() {
  const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`);
  const line = Buffer.alloc(100);
  /** Milliseconds that the main thread has run so far. */
  const processor = () => {
    const length = readSync(schedule, line, 0, line.length, 0);
    return Number(line.toString('latin1', 0, length).split(' ', 1)[0]) / 1e6;
  };

  let blocks = [];
  let collections = [];
  const observer = new PerformanceObserver((list) => {
    for (const { startTime, duration } of list.getEntries()) {
      if (duration >= LEAST_COLLECTION) collections.push([startTime, startTime + duration]);
    }
  });
  observer.observe({ entryTypes: ['gc'] });

  let [at, used] = [performance.now(), processor()];
  const look = () => {
    const [now, usedNow] = [performance.now(), processor()];
    const clock = now - at - TICK;
    // What others did on the processor meanwhile is no fault of the server.
    const cpu = Math.min(clock, usedNow - used);
    if (clock > TICK && (blocks.length < KEPT || cpu > blocks.at(-1).cpu)) {
      blocks = [...blocks, { clock, cpu, from: at, to: now }].sort((a, b) => b.cpu - a.cpu).slice(0, KEPT);
    }
    [at, used] = [now, usedNow];
  };
  setInterval(look, TICK).unref();

  process.on('message', (message) => {
    if (message === 'forget') {
      [blocks, collections] = [[], []];
      [at, used] = [performance.now(), processor()];
      process.send('forgotten');
      return;
    }
    // Collections are told a turn later.
    setTimeout(() => {
      const within = ({ from, to }) =>
        collections.reduce((sum, [begin, end]) => sum + Math.max(0, Math.min(to, end) - Math.max(from, begin)), 0);
      process.send(blocks.map((block) => ({ clock: block.clock, cpu: block.cpu, collecting: within(block) })));
    }, 2 * TICK);
  });
  // Told on a channel that keeps nobody from ending.
  process.channel.unref();
}
