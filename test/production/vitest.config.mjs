/** Temporal's own server on PostgreSQL, set up by what deploy/temporal and docker-compose.yml say; one file after the other. */
import { suite } from '../support/suite.mjs';

export default suite({ hasProgram: true, include: ['test/production/*.test.ts'], limitMs: 240_000, workers: 1 });
