/** Before the first file of the suite. */
import { start } from './shared-server.ts';

export default start;
