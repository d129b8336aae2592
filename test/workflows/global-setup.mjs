/** Before the first file of the suite, and after its last one. */
export { start as setup, stop as teardown } from './shared-server.ts';
