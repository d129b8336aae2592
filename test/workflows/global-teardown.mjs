/** After its last one. */
import { stop } from './shared-server.ts';

export default stop;
