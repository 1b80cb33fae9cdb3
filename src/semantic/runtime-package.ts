// Bundles of ES modules get a `createRequire` of their own, see docs/library.md: the name must not be imported twice.
import nodeModule from 'node:module';

/** The optional package that runs models. */
export const RUNTIME_PACKAGE = 'onnxruntime-node';

/**
 * On Linux the installer of the runtime downloads libraries for CUDA unless this variable is set, and where that fails
 * npm leaves out the whole package without a word.
 */
const SKIP_CUDA = process.platform === 'linux' ? 'ONNXRUNTIME_NODE_INSTALL=skip ' : '';

/** The command that installs it. */
export const INSTALL_RUNTIME: string = `${SKIP_CUDA}npm install ${RUNTIME_PACKAGE}`;

/** Whether the package is there. Whether its compiled part fits this system shows when a model is loaded. */
export function isRuntimeInstalled(): boolean {
  try {
    nodeModule.createRequire(import.meta.url).resolve(RUNTIME_PACKAGE);
    return true;
  } catch {
    return false;
  }
}
