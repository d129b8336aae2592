/** Records on a real server that speaks S3, with conditional writes, rights by user and Object Lock. */
import { suite } from '../support/suite.mjs';

export default suite({ include: ['test/s3/*.test.ts'], limitMs: 240_000, workers: 1 });
