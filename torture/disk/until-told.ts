/**
 * Says that the program is ready, and waits until it is told to go on. What it imports is loaded by then, so whoever
 * watches it sees only what it is about.
 */
export async function untilTold(): Promise<void> {
  process.stdout.write('ready\n');
  await new Promise((resolve) => process.stdin.once('data', resolve));
  process.stdin.destroy();
}
