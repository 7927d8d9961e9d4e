export { reportFigures, type ReportingParts, traceFigure } from './report-figures.ts';
