/** Workers, command lines and rehearsals as processes of their own, killed and starved. */
import { suite } from '../support/suite.mjs';
import { PROCESS_TESTS } from './files.mjs';

export default suite({ hasProgram: true, include: PROCESS_TESTS, workers: 2 });
