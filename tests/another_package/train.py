from mindspore.train import SummaryCollector

collector = SummaryCollector("summaries", collect_freq=1)
