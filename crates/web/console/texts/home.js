// The words about what needs a person, in English.

const plural = (number, one, many) => `${number} ${number === '1' ? one : many}`;

export const texts = {
  title: 'For you to do',
  none: 'Nobody waits for you. Everything is done.',
  threads: number => plural(number, 'thread waits for a reply', 'threads wait for a reply'),
  conversations: number => plural(number, 'visitor waits for a person', 'visitors wait for a person'),
  longest: time => `The longest wait is ${time}`,
  overdue: number => plural(number, 'activity is overdue', 'activities are overdue'),
  due: number => plural(number, 'activity is due today', 'activities are due today'),
  next: title => `Next: ${title}`,
  questions: number => plural(number, 'question without an answer', 'questions without an answer'),
  failing: name => `The channel ${name} does not work`,
  untrained: name => `${name} could not be trained`,
  untrainedText: 'There is nothing to answer from yet.',
  manyChatbots: count => `The first ${count} chatbots are counted.`,
};
