/** For whoever runs what reads, and must not change anything whatever is reached. */
export { onlyReading } from '../../activities/clients/only-reads.ts';
