/** Run once where the code is put into an image: its workers bundle nothing when they start. */
import { shipBundles } from './workflow-bundle.ts';

await shipBundles(new URL('./workflow-bundle.ts', import.meta.url).href);
