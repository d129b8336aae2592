/** `npm run test:real -- forecast`: all shapes but the longest. */
import { compareEach } from './compare-each.ts';
import { LONGEST, SHAPES } from './shapes.ts';

compareEach(SHAPES.filter(({ scenario }) => !LONGEST.includes(scenario.name)));
