export type { ReportingParts } from './received-money.ts';
export { reportFigures, traceFigure } from './report-figures.ts';
