/** `node test/real/aws/install.ts [eksup]`: puts the outside AWS clients into the cache; eksup, which takes long to build, only when named. */
import { buildEksup, pythonTools } from './tools.ts';

process.stdout.write(`${pythonTools()}\n`);
if (process.argv.includes('eksup')) process.stdout.write(`${buildEksup()}\n`);
