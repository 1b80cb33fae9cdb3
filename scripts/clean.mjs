// Removes the output of earlier builds: otherwise the package would keep files that were renamed or deleted.
import { rmSync } from 'node:fs';

rmSync(new URL('../dist', import.meta.url), { recursive: true, force: true });
