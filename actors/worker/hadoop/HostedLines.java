package tarry;

import java.io.*;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.*;
import org.apache.hadoop.mapred.lib.NLineInputFormat;

/**
 * Makes one split per line, as NLineInputFormat does, but on the hosts that the line names, so that the
 * scheduler prefers them. A line is "host,host TAB number"; it may name no host.
 */
public class HostedLines extends NLineInputFormat {
  @Override
  public InputSplit[] getSplits(JobConf conf, int wanted) throws IOException {
    InputSplit[] splits = super.getSplits(conf, wanted); // in the order of the lines of the one file
    Path list = ((FileSplit) splits[0]).getPath();
    try (BufferedReader lines =
        new BufferedReader(new InputStreamReader(list.getFileSystem(conf).open(list), StandardCharsets.UTF_8))) {
      for (int i = 0; i < splits.length; i++) {
        FileSplit split = (FileSplit) splits[i];
        String line = lines.readLine();
        String hosts = line.substring(0, line.indexOf('\t'));
        splits[i] = new FileSplit(list, split.getStart(), split.getLength(), hosts.isEmpty() ? null : hosts.split(","));
      }
    }
    return splits;
  }
}
