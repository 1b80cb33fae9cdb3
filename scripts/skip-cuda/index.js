// Keeps `npm ci` in this repository from downloading CUDA libraries of some hundred megabytes, which nothing here uses.
//
// On Linux the installer of onnxruntime-node downloads them from a server that is no package registry. Where it cannot
// be reached, npm leaves out the model runtime without a word, because that is optional. The installer reads an
// environment variable and an option of npm. Nobody can set the variable for a repository, and an option that npm does
// not know makes npm 11 warn at each command. But the first thing that the installer does is calling `bootstrap()` of
// the package global-agent, and `overrides` in package.json puts this file in its place. Who installs skill-discovery
// as a package gets the real one: overrides count in the root project only.
exports.bootstrap = () => {
  process.env.ONNXRUNTIME_NODE_INSTALL ??= 'skip';
};
